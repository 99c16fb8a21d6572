include(GoogleTest)

# weir_unit_test(deps_test a_test.cpp b_test.cpp [LINK target...]): one GoogleTest executable per layer, linked with
# the library and allowed to include the headers of src/. Every TEST becomes a ctest of its own.
function(weir_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weir_internal ${arg_LINK} GTest::gmock GTest::gtest_main weir_warnings)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
endfunction()
