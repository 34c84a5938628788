add_executable(bench_stream ${CMAKE_CURRENT_LIST_DIR}/bench_stream.c ${CMAKE_CURRENT_LIST_DIR}/stream_update.c)
target_link_libraries(bench_stream PRIVATE larder_flags room_stream room_format_cook)
