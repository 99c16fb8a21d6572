/* Nothing that a runtime could start. */
typedef int Nothing;
