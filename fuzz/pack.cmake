larder_fuzz(pack LIBS room_pack_cook larder_fixtures)
