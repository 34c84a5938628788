foreach(subject open find)
	larder_test(test_pack_${subject} LIBS room_pack_cook)
endforeach()
