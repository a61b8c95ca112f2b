// Two classic scripts with fixed names, each built separately: a script tag needs no CORS headers, and a
// shared chunk would cost the host page a third request.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const classicScript = (entry: string, fileName: string) => ({
  consumer: 'client' as const,
  build: {
    outDir: path('../dist/widget'),
    // Names are fixed, so no stale files remain, and a running server keeps its files.
    emptyOutDir: false,
    copyPublicDir: false,
    target: 'es2020',
    cssTarget: 'safari15',
    modulePreload: false as const,
    reportCompressedSize: false,
    rolldownOptions: {
      optimization: { inlineConst: { mode: 'all' as const, pass: 2 } },
      input: path(entry),
      output: { format: 'iife' as const, entryFileNames: fileName },
    },
  },
})

export default defineConfig({
  root: path('.'),
  base: './',
  clearScreen: false,
  environments: {
    client: classicScript('loader.ts', 'widget.js'),
    chat: classicScript('chat.ts', 'chat.js'),
  },
  builder: {},
})
