add_executable(bench_gpu ${CMAKE_CURRENT_LIST_DIR}/bench_gpu.c)
target_link_libraries(bench_gpu PRIVATE larder_flags room_gpu room_format_cook)
