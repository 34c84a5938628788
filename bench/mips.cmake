add_executable(bench_mips ${CMAKE_CURRENT_LIST_DIR}/bench_mips.c ${CMAKE_CURRENT_LIST_DIR}/stb_resize.c)
# Not our text, and not written for our warnings.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/stb_resize.c PROPERTIES
	COMPILE_OPTIONS "-w" INCLUDE_DIRECTORIES "${STB_INCLUDE_DIR}")
target_include_directories(bench_mips PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(bench_mips PRIVATE larder_flags room_image_cook)
