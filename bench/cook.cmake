# The linker sends the meshoptimizer calls of this program through meshoptimizer_timed.c.
add_executable(bench_cook ${CMAKE_CURRENT_LIST_DIR}/bench_cook.c ${CMAKE_CURRENT_LIST_DIR}/meshoptimizer_timed.c
	${PROJECT_SOURCE_DIR}/tests/fixtures/gltf_build.c)
target_include_directories(bench_cook PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_cook PRIVATE larder_flags room_cook_cook meshoptimizer::meshoptimizer)
target_link_options(bench_cook PRIVATE
	-Wl,--wrap=meshopt_simplify,--wrap=meshopt_buildMeshletsScan,--wrap=meshopt_computeClusterBounds)
target_compile_definitions(bench_cook PRIVATE LARDER_PROGRAM="$<TARGET_FILE:larder-program>")
add_dependencies(bench_cook larder-program)
