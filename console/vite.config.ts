// The console: one page, its screens loaded when they are first opened. Names carry a hash of their contents, so that
// a browser keeps them for good; index.html alone is asked for anew.
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const server = process.env.FOYER_URL ?? 'http://127.0.0.1:8190'

// Whoever builds, a test too, gets what people get.
const forPeople = (command: string): void => {
  if (command === 'build') process.env.NODE_ENV = 'production'
}

export default defineConfig(({ command }) => {
  forPeople(command)
  return {
    root: path('.'),
    base: '/',
    clearScreen: false,
    plugins: [react()],
    build: {
      outDir: path('../dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
      // One stylesheet: the design system is one thing, and the order of its rules never depends on what was opened first.
      cssCodeSplit: false,
      // The page's Content-Security-Policy knows no data: scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
    server: {
      port: 8191,
      strictPort: true,
      proxy: {
        '/console/api': server,
        '/files': server,
        '/sandbox': server,
      },
    },
  }
})
