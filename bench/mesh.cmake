add_executable(bench_mesh ${CMAKE_CURRENT_LIST_DIR}/bench_mesh.c)
target_include_directories(bench_mesh PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_mesh PRIVATE larder_flags room_format_cook)
