# cmake -DDIST=folder -DFILES=a;b -DOUTPUT=file.cc -P dashboard_table.cmake
set(types html text/html js text/javascript css text/css svg image/svg+xml)
set(symbols "")
set(rows "")
set(number 0)
foreach(path ${FILES})
  file(SHA256 ${DIST}/${path} hash)
  string(REGEX REPLACE ".*\\." "" extension ${path})
  list(FIND types ${extension} at)
  math(EXPR at "${at} + 1")
  list(GET types ${at} mime)
  if(mime MATCHES "^text/")
    string(APPEND mime "; charset=utf-8")
  endif()
  set(name oa_dashboard_${number})
  string(APPEND symbols "// ${hash}\n"
    "asm(\".pushsection .rodata\\n.balign 16\\n${name}: .incbin \\\"${DIST}/${path}\\\"\\n${name}_end: .byte 0\\n.popsection\");\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${name}[], ${name}_end[];\n")
  string(APPEND rows "      {\"${path}\", \"${mime}\", \"${hash}\", {${name}, static_cast<size_t>(${name}_end - ${name})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated from the dashboard's build; do not edit.\n#include \"services/gateway/dashboard_files.h\"\n\n"
  "${symbols}\nnamespace oneagent {\n\nstd::span<const DashboardFile> dashboard_files() {\n  static const DashboardFile files[] = {\n${rows}  };\n"
  "  return files;\n}\n\n}  // namespace oneagent\n")
