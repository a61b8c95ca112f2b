// Tests of the AI agent in files, run in a workspace.
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Test, TestResult } from '../server/domain/ai/evaluation/evaluate.ts'
import { type Command, required, UsageError, WORKSPACE } from './command.ts'
import { pathOf, readJson } from './read-json.ts'
import { withOutbound } from './with-outbound.ts'

export const evaluateCommand: Command = {
  words: 'ai evaluate',
  about:
    'Run tests of the AI agent with the workspace’s knowledge and guidance. No conversation is written. Ends with 1 if one fails. --provider live also runs those that need a model, with the workspace’s own, which costs money; --times repeats them.',
  flags: {
    workspace: WORKSPACE,
    tests: required('DIR|FILE'),
    provider: { value: 'live' },
    times: { value: 'NUMBER' },
    draft: { value: null },
  },
  run: async (given, settings) => {
    const { flag, flags } = given
    if (flags.provider !== undefined && flag('provider') !== 'live')
      throw new UsageError('--provider must be live.')
    const times = flags.times === undefined ? 1 : Number(flag('times'))
    const { evaluate, TIMES_MAX } = await import('../server/domain/ai/evaluation/evaluate.ts')
    if (!Number.isInteger(times) || times < 1 || times > TIMES_MAX)
      throw new UsageError(`--times must be a number from 1 to ${TIMES_MAX}.`)
    const tests = await readTests(flag('tests'))
    const evaluation = await withOutbound(given, settings(), (ctx) =>
      evaluate(ctx, {
        tests,
        times,
        isLive: flags.provider !== undefined,
        guidance: flags.draft === undefined ? 'live' : 'draft',
        onResult: sayResult,
      }),
    )
    const { results, ...summary } = evaluation
    const failed = results.filter(({ skipped, passed, times }) => skipped === null && passed < times)
    if (failed.length > 0) process.exitCode = 1
    return { ...summary, failed }
  },
}

/** The kind of a test is the name of its file. */
const readTests = async (path: string): Promise<Test[]> => {
  const { readScenarios } = await import('../server/domain/ai/evaluation/read-scenarios.ts')
  // A file that isn't there is told by readJson.
  const isFolder = await stat(pathOf(path)).then(
    (found) => found.isDirectory(),
    () => false,
  )
  const files = isFolder
    ? (await readdir(pathOf(path)))
        .filter((name) => name.endsWith('.json'))
        .sort()
        .map((name) => join(path, name))
    : [path]
  const tests: Test[] = []
  for (const file of files) {
    const scenarios = readScenarios(file, await readJson(file))
    tests.push(...scenarios.map((scenario) => ({ kind: basename(file, '.json'), scenario })))
  }
  if (tests.length === 0) throw new UsageError(`There are no tests in ${path}.`)
  return tests
}

const sayResult = ({ kind, name, skipped, times, passed, failures }: TestResult): void => {
  const result =
    skipped !== null ? 'skipped' : passed === times ? 'passed' : `FAILED ${times - passed} of ${times}`
  const why = skipped ?? failures.join('; ')
  process.stderr.write(`${result.padEnd(8)} ${kind}: ${name}${why === '' ? '' : ` (${why})`}\n`)
}
