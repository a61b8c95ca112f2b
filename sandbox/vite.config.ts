// The phone page. URLs are relative, so it works at / and behind any prefix.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path('./page'),
  base: './',
  clearScreen: false,
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: path('../dist/sandbox'),
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
    cssCodeSplit: false,
    modulePreload: false,
    // The page's Content-Security-Policy doesn't allow data: scripts.
    assetsInlineLimit: 0,
  },
})
