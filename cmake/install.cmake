# What `cmake --install` puts where: libraries, headers, the program, its man page and completions, and what find_package and pkg-config need.
include(CMakePackageConfigHelpers)

set(runtime_headers base clip gpu jobs larder material mesh model pack payload residents scope skeleton snapshot store stream texture ticket version)
set(cook_headers cook cook_memory document pack_write picture replay texture_cook write)

set(headers ${runtime_headers})
if(LARDER_COOK)
	install(TARGETS larder-cook EXPORT larder-cook-targets
		ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	list(APPEND headers ${cook_headers})
endif()

install(TARGETS larder EXPORT larder-targets
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(LARDER_WITH_VULKAN)
	install(TARGETS larder-vulkan EXPORT larder-vulkan-targets
		ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
		LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	list(APPEND headers gpu_vulkan)
endif()
foreach(header IN LISTS headers)
	install(FILES include/larder/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/larder)
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/larder)
install(EXPORT larder-targets NAMESPACE larder:: DESTINATION ${package_dir})
if(LARDER_COOK)
	install(EXPORT larder-cook-targets NAMESPACE larder:: DESTINATION ${package_dir})
endif()
if(LARDER_WITH_VULKAN)
	install(EXPORT larder-vulkan-targets NAMESPACE larder:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/larder-config.cmake.in ${PROJECT_BINARY_DIR}/larder-config.cmake
	INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/larder-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/larder-config.cmake ${PROJECT_BINARY_DIR}/larder-config-version.cmake
	DESTINATION ${package_dir})

# Relative to where the .pc file lies, so that any --prefix at install time is right.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/larder.pc.in ${PROJECT_BINARY_DIR}/larder.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/larder.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(LARDER_WITH_VULKAN)
	if(CMAKE_DL_LIBS)
		set(LARDER_DL_LIBS " -l${CMAKE_DL_LIBS}")
	endif()
	configure_file(cmake/larder-vulkan.pc.in ${PROJECT_BINARY_DIR}/larder-vulkan.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/larder-vulkan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(LARDER_COOK)
	configure_file(cmake/larder-cook.pc.in ${PROJECT_BINARY_DIR}/larder-cook.pc @ONLY)
	install(FILES ${PROJECT_BINARY_DIR}/larder-cook.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
	if(BUILD_SHARED_LIBS)
		file(RELATIVE_PATH larder_libs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
		set_target_properties(larder-program PROPERTIES INSTALL_RPATH $ORIGIN/${larder_libs})
	endif()
	install(TARGETS larder-program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
	install(FILES docs/larder.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
	if(LARDER_WITH_VULKAN)
		add_dependencies(larder-program larder-vulkan) # who builds the program alone can install
	endif()
	if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR) # see src/cli/CMakeLists.txt
		install(FILES ${PROJECT_BINARY_DIR}/completion.bash
			DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME larder)
		install(FILES ${PROJECT_BINARY_DIR}/completion.zsh
			DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _larder)
	endif()
endif()
