# The daemon's outside: the rooms config and rpc, cuzk-daemon, cuzk-bench and their tests.
enable_language(CXX)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)

# The one C++ file: toml++ behind a C header. Exceptions stay inside it.
add_library(cuzk_toml STATIC ${CMAKE_SOURCE_DIR}/src/config/toml.cpp)
set_target_properties(cuzk_toml PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
target_compile_definitions(cuzk_toml PRIVATE _GNU_SOURCE)
target_compile_options(cuzk_toml PRIVATE -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${CUZK_WERROR}>:-Werror>)
target_include_directories(cuzk_toml PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(cuzk_toml PUBLIC cuzk_base PRIVATE PkgConfig::TOMLPLUSPLUS)

cuzk_room(config cuzk_toml cuzk_base)
