add_executable(bench_image ${CMAKE_CURRENT_LIST_DIR}/bench_image.c ${CMAKE_CURRENT_LIST_DIR}/block_pictures.c
	${CMAKE_CURRENT_LIST_DIR}/stb_hdr.c)
# Not our text, and not written for our warnings.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/stb_hdr.c PROPERTIES
	COMPILE_OPTIONS "-w" INCLUDE_DIRECTORIES "${STB_INCLUDE_DIR}")
target_link_libraries(bench_image PRIVATE larder_flags room_image_cook m)
