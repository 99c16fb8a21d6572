# SPDX-License-Identifier: Apache-2.0

# The manual pages and the completion scripts, printed by the program itself and installed.
if(CMAKE_CROSSCOMPILING)
  return()
endif()

set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${documents})
set(outputs)

# weir_document(FILE argument...): the output of `weir argument...`, in FILE, installed in FOLDER below the data root.
function(weir_document file folder)
  add_custom_command(OUTPUT ${documents}/${file}
    COMMAND ${CMAKE_COMMAND} -E env --unset=COLUMNS $<TARGET_FILE:weir_cli> ${ARGN} > ${documents}/${file}
    DEPENDS weir_cli VERBATIM)
  install(FILES ${documents}/${file} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder} RENAME ${name})
  set(outputs ${outputs} ${documents}/${file} PARENT_SCOPE)
endfunction()

set(name weir.1)
weir_document(weir.1 man/man1 manual)
foreach(verb IN LISTS verbs ITEMS completion)
  set(name weir-${verb}.1)
  weir_document(weir-${verb}.1 man/man1 manual ${verb})
endforeach()
set(name weir-ocrcc.1)
weir_document(weir-ocrcc.1 man/man1 manual ocrcc)
set(name weir-ocr.7)
weir_document(weir-ocr.7 man/man7 manual ocr)
set(name weir)
weir_document(weir.bash bash-completion/completions completion bash)
set(name _weir)
weir_document(weir.zsh zsh/site-functions completion zsh)
set(name weir.fish)
weir_document(weir.fish fish/vendor_completions.d completion fish)

add_custom_target(weir_documents ALL DEPENDS ${outputs})
