import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  clearScreen: false,
  build: {
    emptyOutDir: false,
    target: 'es2022',
    reportCompressedSize: false,
    lib: { entry: path('typescript/src/index.ts'), formats: ['es'], fileName: () => 'foyer.js' },
  },
})
