// Short texts on a sheet: letters of five by seven dots, drawn here as they look. Some hang below the line.

#include "cli/raster.h"

#define FIRST ' '
#define LAST '~'
#define ROW 16 // letters side by side in the drawing
#define DOTS 5
#define ROWS (CLI_TEXT_HEIGHT + CLI_TEXT_DEPTH)

/// From ' ' to '~', sixteen a row; rows without dots may be left out at the end.
static const char *const letters[][ROWS] = {
	{
		"        #    # #   # #    #   ##     ##     #      #   #                                        ",
		"        #    # #   # #   #### ##  # #  #    #     #     #     #     #                         # ",
		"        #    # #  ##### # #      #  # #     #    #       #  # # #   #                        #  ",
		"        #          # #   ###    #    #           #       #   ###  #####       #####         #   ",
		"        #         #####   # #  #    # # #        #       #  # # #   #    ##                #    ",
		"                   # #  ####  #  ## #  #          #     #     #     #     #          ##   #     ",
		"        #          # #    #      ##  ## #          #   #                 #           ##         ",
	},
	{
		" ###    #    ###  #####    #  #####   ##  #####  ###   ###                 #         #     ###  ",
		"#   #  ##   #   #    #    ##  #      #        # #   # #   #  ##    ##     #           #   #   # ",
		"#  ##   #       #   #    # #  ####  #        #  #   # #   #  ##    ##    #    #####    #      # ",
		"# # #   #      #     #  #  #      # ####    #    ###   ####             #               #    #  ",
		"##  #   #     #       # #####     # #   #  #    #   #     #  ##    ##    #    #####    #    #   ",
		"#   #   #    #    #   #    #  #   # #   #  #    #   #    #   ##     #     #           #         ",
		" ###   ###  #####  ###     #   ###   ###   #     ###   ##          #       #         #      #   ",
	},
	{
		" ###   ###  ####   ###  ###   ##### #####  ###  #   #  ###    ### #   # #     #   # #   #  ###  ",
		"#   # #   # #   # #   # #  #  #     #     #   # #   #   #      #  #  #  #     ## ## #   # #   # ",
		"# ### #   # #   # #     #   # #     #     #     #   #   #      #  # #   #     # # # ##  # #   # ",
		"# # # ##### ####  #     #   # ####  ####  # ### #####   #      #  ##    #     # # # # # # #   # ",
		"# ### #   # #   # #     #   # #     #     #   # #   #   #      #  # #   #     #   # #  ## #   # ",
		"#     #   # #   # #   # #  #  #     #     #   # #   #   #   #  #  #  #  #     #   # #   # #   # ",
		" #### #   # ####   ###  ###   ##### #      #### #   #  ###   ##   #   # ##### #   # #   #  ###  ",
	},
	{
		"####   ###  ####   #### ##### #   # #   # #   # #   # #   # #####  ###         ###    #         ",
		"#   # #   # #   # #       #   #   # #   # #   # #   # #   #     #  #    #        #   # #        ",
		"#   # #   # #   # #       #   #   # #   # #   #  # #   # #     #   #     #       #  #   #       ",
		"####  #   # ####   ###    #   #   # #   # # # #   #     #     #    #      #      #              ",
		"#     # # # # #       #   #   #   # #   # # # #  # #    #    #     #       #     #              ",
		"#     #  #  #  #      #   #   #   #  # #  ## ## #   #   #   #      #        #    #              ",
		"#      ## # #   # ####    #    ###    #   #   # #   #   #   #####  ###         ###        ##### ",
	},
	{
		" #          #               #         ##        #       #      #   #     ##                     ",
		"  #         #               #        #  #       #                  #      #                     ",
		"       ###  ####   ###   ####  ###   #     #### ####   ##     ##   #  #   #   ## #  ####   ###  ",
		"          # #   # #     #   # #   # ###   #   # #   #   #      #   # #    #   # # # #   # #   # ",
		"       #### #   # #     #   # #####  #    #   # #   #   #      #   ##     #   # # # #   # #   # ",
		"      #   # #   # #   # #   # #      #    #   # #   #   #      #   # #    #   # # # #   # #   # ",
		"       #### ####   ###   ####  ###   #     #### #   #  ###     #   #  #  ###  # # # #   #  ###  ",
		"                                              #             #  #                                ",
		"                                           ###               ##                                 ",
	},
	{
		"                         #                                           ##   #   ##                ",
		"                         #                                          #     #     #               ",
		"####   #### # ##   #### ###   #   # #   # #   # #   # #   # #####   #     #     #    #          ",
		"#   # #   # ##  # #      #    #   # #   # #   #  # #  #   #    #   #      #      #  # # #       ",
		"#   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     #     #     #      #        ",
		"#   # #   # #         #  #  # #   #  # #  # # #  # #  #   #  #      #     #     #               ",
		"####   #### #     ####    ##   ####   #    # #  #   #  #### #####    ##   #   ##                ",
		"#         #                                               #                                     ",
		"#         #                                            ###                                      ",
	},
};

static void put_dot(const cli_sheet *sheet, uint32_t x, uint32_t y, uint32_t scale, cli_color color)
{
	for (uint32_t row = y; row < y + scale && row < sheet->height; ++row)
	{
		for (uint32_t column = x; column < x + scale && column < sheet->width; ++column)
		{
			uint8_t *texel = sheet->rgba + ((size_t)row * sheet->width + column) * 4;
			texel[0] = color.r;
			texel[1] = color.g;
			texel[2] = color.b;
		}
	}
}

void cli_draw_text(const cli_sheet *sheet, uint32_t x, uint32_t y, uint32_t scale, const char *text, cli_color color)
{
	for (; *text != 0 && x < sheet->width; ++text, x += CLI_TEXT_ADVANCE * scale)
	{
		char letter = *text < FIRST || *text > LAST ? '?' : *text;
		const char *const *drawing = letters[(letter - FIRST) / ROW];
		const size_t left = (size_t)(letter - FIRST) % ROW * CLI_TEXT_ADVANCE;
		for (uint32_t i = 0; i < DOTS * ROWS; ++i)
		{
			if (drawing[i / DOTS] != NULL && drawing[i / DOTS][left + i % DOTS] == '#')
			{
				put_dot(sheet, x + i % DOTS * scale, y + i / DOTS * scale, scale, color);
			}
		}
	}
}
