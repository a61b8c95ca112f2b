// Light, dark or the system's theme. The choice is stored in this browser.
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'foyer.theme'
const listeners = new Set<() => void>()

const readTheme = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export const applyTheme = (): void => {
  const theme = readTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const setTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readTheme)
