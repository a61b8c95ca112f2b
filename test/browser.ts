// Debian's Chromium for the tests that look through a customer's eyes.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why browser tests are skipped on this machine, or false: `test(name, { skip: skipBrowser }, …)`. */
export const skipBrowser =
  !existsSync(executablePath) && `needs Chromium at ${executablePath} (set CHROMIUM to look elsewhere)`

/** Builds what the browser loads, from one of our Vite configurations. */
export const build = (config: string): void => {
  execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--config', config], {
    cwd: join(import.meta.dirname, '..'),
  })
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      // Without these it looks for its maker's hosts at every start.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
