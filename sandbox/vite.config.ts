// The phone page. Addresses are relative: it works at / and behind any prefix.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path('./page'),
  base: './',
  clearScreen: false,
  publicDir: false,
  build: {
    outDir: path('../dist/sandbox'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    // Pictures inside the page would need data: in its policy for fonts and styles too.
    assetsInlineLimit: 0,
  },
})
