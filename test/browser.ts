// Debian's Chromium for browser tests.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Why browser tests are skipped on this machine, or false: `test(name, { skip: skipBrowser }, …)`. */
export const skipBrowser =
  !existsSync(executablePath) && `needs Chromium at ${executablePath} (set CHROMIUM to look elsewhere)`

/**
 * Builds what browsers load if its sources have changed. A build replaces files that another test's browser may be
 * loading, so up-to-date files are left alone.
 */
export const build = (): void => {
  execFileSync(process.execPath, ['setup/install.mjs'], { cwd: join(import.meta.dirname, '..') })
}

/** `more`: further options of its command line. */
export const launchBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      // Without these it contacts its vendor's hosts at every start.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  })
