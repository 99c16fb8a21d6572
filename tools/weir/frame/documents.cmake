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

# Pages that are written by hand, docs/man/FILE.in; the variables of the runtime are the program's to say.
function(weir_page file folder)
  set(page ${PROJECT_SOURCE_DIR}/docs/man/${file}.in)
  add_custom_command(OUTPUT ${documents}/${file}
    COMMAND ${CMAKE_COMMAND} -E env --unset=COLUMNS ${CMAKE_COMMAND} -DWEIR=$<TARGET_FILE:weir_cli> -DPAGE=${page}
      -DOUT=${documents}/${file} -DWEIR_RELEASE_DATE=${WEIR_RELEASE_DATE} -DPROJECT_VERSION=${PROJECT_VERSION}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/frame/fill_page.cmake
    DEPENDS weir_cli ${page} frame/fill_page.cmake VERBATIM)
  install(FILES ${documents}/${file} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/man/${folder})
  set(outputs ${outputs} ${documents}/${file} PARENT_SCOPE)
endfunction()
weir_page(weir-ocrcc.1 man1)
weir_page(weir-ocr.7 man7)
weir_page(weir-shmemcc.1 man1)
weir_page(weir-shmem.7 man7)
foreach(wrapper weir-ocrc++ weir-shmemc++ weir-shmemfc)  # the same page as that of C
  string(REGEX REPLACE "c\\+\\+$|fc$" "cc" page ${wrapper})
  install(CODE "file(CREATE_LINK ${page}.1
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/man/man1/${wrapper}.1\" SYMBOLIC)")
endforeach()
set(name weir)
weir_document(weir.bash bash-completion/completions completion bash)
set(name _weir)
weir_document(weir.zsh zsh/site-functions completion zsh)
set(name weir.fish)
weir_document(weir.fish fish/vendor_completions.d completion fish)

add_custom_target(weir_documents ALL DEPENDS ${outputs})
