// What `./foyer` does before the program starts, with an installer that only notes that it was asked.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
const clone = mkdtempSync(join(tmpdir(), 'foyer-launcher-'))
after(() => rmSync(clone, { recursive: true, force: true }))

const write = (path: string, text: string): void => {
  mkdirSync(join(clone, path, '..'), { recursive: true })
  writeFileSync(join(clone, path), text)
}
cpSync(join(ROOT, 'foyer'), join(clone, 'foyer'))
write('dist/program/foyer.js', 'console.log(process.argv.slice(2).join())')
write('server/a.ts', 'one')
write('server/deep/b.ts', 'two')
write(
  'setup/install.mjs',
  `import { appendFileSync, writeFileSync } from 'node:fs'
   appendFileSync('asked', '.')
   writeFileSync('dist/.checked', 'server\\nsetup\\n')`,
)
mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true })
symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'))

/** How often the installer was asked until now. */
const asked = (): number => {
  // The machine's Node, which is too old for the program, may be anywhere.
  const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }
  assert.equal(
    execFileSync(join(clone, 'foyer'), ['a', 'b c'], { env, encoding: 'utf8', stdio: 'pipe' }),
    'a,b c\n',
  )
  return readFileSync(join(clone, 'asked'), 'utf8').length
}

test('a start checks the installation only if something has changed, even with the times that it had before', () => {
  assert.equal(asked(), 1)
  assert.equal(asked(), 1)
  const { atime, mtime } = statSync(join(clone, 'server/a.ts'))
  writeFileSync(join(clone, 'server/a.ts'), 'six')
  utimesSync(join(clone, 'server/a.ts'), atime, mtime)
  assert.equal(asked(), 2)
  assert.equal(asked(), 2)
  rmSync(join(clone, 'server/deep'), { recursive: true })
  assert.equal(asked(), 3)
  rmSync(join(clone, 'setup/install.mjs'))
  assert.throws(asked)
})
