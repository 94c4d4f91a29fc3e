# blst from its package (third_party/fetch-blst.sh). __BLST_PORTABLE__ makes it choose ADX at run time.
if(NOT EXISTS ${CUZK_BLST_DIR}/src/server.c)
  message(FATAL_ERROR "blst is missing in ${CUZK_BLST_DIR}; run 'make dependencies' first")
endif()
add_library(blst STATIC ${CUZK_BLST_DIR}/src/server.c ${CUZK_BLST_DIR}/build/assembly.S)
target_compile_definitions(blst PRIVATE __BLST_PORTABLE__)
target_compile_options(blst PRIVATE -O2 -fno-builtin -w)
target_include_directories(blst SYSTEM INTERFACE ${CUZK_BLST_DIR}/bindings)
