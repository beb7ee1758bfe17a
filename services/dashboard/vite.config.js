// Fixed file names and no inlining: CMake embeds exactly these files, and git shows what changed in them.
export default {
  base: './',
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],  // light-dark()
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'assets/dashboard.js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/dashboard[extname]',
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
};
