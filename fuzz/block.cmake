larder_fuzz(block LIBS room_block_cook)
