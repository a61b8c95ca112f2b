// Builds what Foyer serves of its SDKs: the package for npm, which fits this version of the server, the same as a single
// file for pages and Deno, and the package for pip. Into dist/sdk, or the folder that is given.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeWheel } from './wheel.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'sdk/typescript')
const output = resolve(process.argv[2] ?? join(root, 'dist/sdk'))
const packed = join(output, 'package')

const run = (program, arguments_) => {
  const { status, error, stdout, stderr } = spawnSync(program, arguments_, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? (stderr || stdout)}`)
}

rmSync(output, { recursive: true, force: true })
mkdirSync(packed, { recursive: true })
for (const name of ['package.json', 'README.md']) cpSync(join(source, name), join(packed, name))
run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', source, '--outDir', join(packed, 'dist')])
run('npm', ['pack', packed, '--pack-destination', output, '--silent'])
const bundler = ['node_modules/vite/bin/vite.js', 'build', '--config', 'sdk/vite.config.ts']
run(process.execPath, [...bundler, '--outDir', output, '--logLevel', 'error'])
const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
cpSync(join(output, `${name}-${version}.tgz`), join(output, `${name}.tgz`))
rmSync(packed, { recursive: true })
const description = 'The API of Foyer, a customer-conversation inbox, in Python.'
writeWheel(join(root, 'sdk/python'), { name, version, description, python: '>=3.9' }, output)
