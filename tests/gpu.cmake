foreach(subject textures meshes)
	larder_test(test_gpu_${subject} LIBS room_gpu room_format_cook)
endforeach()
