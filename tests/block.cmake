larder_test(test_block_decode LIBS room_block room_base m)
larder_test(test_block_bc7 LIBS room_block_cook m)
larder_test(test_block_bc1 LIBS room_block_cook m)
larder_test(test_block_bc4 LIBS room_block_cook m)
