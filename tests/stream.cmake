foreach(subject arbiter arbiter_random arbiter_best)
	larder_test(test_stream_${subject} LIBS room_stream)
endforeach()
