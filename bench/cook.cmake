add_executable(bench_cook ${CMAKE_CURRENT_LIST_DIR}/bench_cook.c ${PROJECT_SOURCE_DIR}/tests/fixtures/gltf_build.c)
target_include_directories(bench_cook PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_cook PRIVATE larder_flags room_cook_cook meshoptimizer::meshoptimizer)
