add_executable(bench_motion ${CMAKE_CURRENT_LIST_DIR}/bench_motion.c)
target_include_directories(bench_motion PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_motion PRIVATE larder_flags room_format_cook)
