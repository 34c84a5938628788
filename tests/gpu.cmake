foreach(subject null large textures levels meshes materials geometry uploads random memory threads)
	larder_test(test_gpu_${subject} LIBS room_gpu room_format_cook)
endforeach()
