foreach(subject rotations constant thin share)
	larder_test(test_motion_${subject} LIBS room_motion_cook)
endforeach()
