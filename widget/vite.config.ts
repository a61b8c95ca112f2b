// Two classic scripts with fixed names, each built by itself: a script tag needs no CORS headers, and a
// shared chunk would cost the host page a third request.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const classicScript = (entry: string, fileName: string, emptyOutDir: boolean) => ({
  consumer: 'client' as const,
  build: {
    outDir: path('../dist/widget'),
    emptyOutDir,
    copyPublicDir: false,
    target: 'es2020',
    cssTarget: 'safari15',
    modulePreload: false as const,
    reportCompressedSize: false,
    rolldownOptions: {
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
    client: classicScript('loader.ts', 'widget.js', true),
    chat: classicScript('chat.ts', 'chat.js', false),
  },
  builder: {},
})
