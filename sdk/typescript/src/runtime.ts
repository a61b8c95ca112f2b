// What differs between Node, browsers and workers.

type Runtime = {
  process?: { env?: Record<string, string | undefined> }
  window?: { document?: unknown }
}

const runtime = globalThis as Runtime

export const readSetting = (name: string): string | undefined => runtime.process?.env?.[name] || undefined

export const isBrowser = (): boolean => runtime.window?.document !== undefined
