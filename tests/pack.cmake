foreach(subject open find write reuse faults check unpack golden)
	larder_test(test_pack_${subject} LIBS room_pack_cook)
endforeach()
