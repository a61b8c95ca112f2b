// Flows as files: kept in git, checked and tested without a database, and brought to a workspace.

import type { Channels } from '../channels/channel.ts'
import type { LintFacts } from '../flow-engine/lint-contract.ts'
import type { Problem } from '../flow-engine/problems.ts'
import type { Reference, ReferenceKind } from '../flow-engine/references.ts'
import type { Scenario } from '../flow-engine/scenario.ts'
import { ApiError } from '../server/platform/errors.ts'
import { type Command, UsageError, WORKSPACE } from './command.ts'
import { readJson } from './read-json.ts'

/** The parts of an export, or a definition alone. */
const partsOf = (file: unknown): { definition: unknown; tests: unknown[] } => {
  const isObject = typeof file === 'object' && file !== null
  if (!isObject || !('format' in file)) return { definition: file, tests: [] }
  const { definition, tests } = file as { definition?: unknown; tests?: unknown }
  return { definition, tests: Array.isArray(tests) ? tests : [] }
}

type Checked = { text: string; references: Reference[]; scenarios: Scenario[]; problems: Problem[] }

const checkFile = async (file: string): Promise<Checked> => {
  const { checkFlow } = await import('../server/domain/flows/engine-jobs.ts')
  const { checkScenario } = await import('../flow-engine/check-scenario.ts')
  const { definition, tests } = partsOf(await readJson(file))
  const { problems, references } = checkFlow(definition)
  return {
    text: JSON.stringify(definition) ?? 'null',
    references,
    // Those in which nothing was found are tests.
    scenarios: tests as Scenario[],
    problems: [...problems, ...tests.flatMap((test, at) => checkScenario(test, `Test ${at + 1}`))],
  }
}

/** As if everything that it refers to were there, on all channels. */
const factsOf = (references: readonly Reference[], channels: LintFacts['channels']): LintFacts => {
  const ids = (wanted: ReferenceKind) => references.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return {
    flow: { id: null, position: 0 },
    tagIds: ids('tag'),
    agentIds: ids('agent'),
    teamIds: ids('team'),
    actionIds: ids('action'),
    hoursIds: ids('hours'),
    hasDefaultHours: true,
    attachmentIds: ids('attachment'),
    accountIds: ids('account'),
    templates: references.flatMap(({ kind, id, language }) =>
      kind === 'template' && language !== undefined ? [{ name: id, language }] : [],
    ),
    channels,
    others: ids('flow').map((id) => ({ ...CALLED, id, name: id })),
    languages: [],
  }
}

/** Another flow that is called. */
const CALLED = {
  isLive: true,
  position: 1,
  definition: {
    schema: 1 as const,
    kind: 'background' as const,
    language: 'en',
    triggers: [],
    start: 'start',
    blocks: { start: { steps: [{ id: 's1', type: 'close' as const }], next: 'end' } },
  },
}

const allChannels = async (): Promise<LintFacts['channels']> => {
  const { channels }: { channels: Channels } = await import('../channels/index.ts')
  const { channelFactsOf } = await import('../server/domain/flows/channel-facts.ts')
  const { FLOW_CHANNELS } = await import('../flow-engine/shapes.ts')
  return FLOW_CHANNELS.map((name) => channelFactsOf(channels, name))
}

/** The exit code tells scripts; the document tells people. */
const failIf = (isWrong: boolean): void => {
  if (isWrong) process.exitCode = 1
}

const validateCommand: Command = {
  words: 'flow validate',
  about: 'Check a file with a flow, without a database. Ends with 1 if it could not be published.',
  operand: 'FILE',
  run: async ({ operand }) => {
    const { text, references, problems } = await checkFile(operand)
    const { lintDefinition } = await import('../flow-engine/lint.ts')
    const found =
      problems.length > 0
        ? problems
        : lintDefinition(JSON.parse(text), factsOf(references, await allChannels()))
    const isValid = found.every(({ severity }) => severity === 'warning')
    failIf(!isValid)
    return { isValid, problems: found }
  },
}

const testCommand: Command = {
  words: 'flow test',
  about: 'Run the tests in a file with a flow, without a database. Ends with 1 if one fails.',
  operand: 'FILE',
  run: async ({ operand }) => {
    const { text, scenarios, problems } = await checkFile(operand)
    if (problems.length > 0) throw new Error(problems[0]!.message)
    const { runTests } = await import('../server/domain/flows/engine-jobs.ts')
    const failures = runTests(
      JSON.parse(text),
      scenarios.map((scenario, at) => ({ id: String(at + 1), name: scenario.name, scenario })),
      {
        now: Date.now(),
        workspace: { name: 'Foyer', timeZone: 'UTC' },
        hours: [],
        existing: null,
        channels: await allChannels(),
      },
    )
    failIf(failures.length > 0)
    return { tests: scenarios.length, failures: failures.map(({ testId: _, ...failure }) => failure) }
  },
}

const listCommand: Command = {
  words: 'flow list',
  about: 'List the flows of a workspace.',
  flags: { workspace: WORKSPACE },
  run: async ({ flag }, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { listFlows } = await import('../server/domain/flows/list-flows.ts')
    return withDatabase(config, async ({ ctxOf }) => listFlows(await ctxOf(flag('workspace')), {}))
  },
}

const exportCommand: Command = {
  words: 'flow export',
  about: 'Print a flow’s draft with its tests, for a file.',
  operand: 'FLOW',
  flags: { workspace: WORKSPACE },
  run: async ({ operand, flag }, settings) => {
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { exportFlow } = await import('../server/domain/flows/flow-file.ts')
    return withDatabase(config, async ({ ctxOf }) => exportFlow(await ctxOf(flag('workspace')), operand))
  },
}

const importCommand: Command = {
  words: 'flow import',
  about: 'Add a flow from a file as a draft, or replace the draft of a flow.',
  operand: 'FILE',
  flags: { workspace: WORKSPACE, name: { value: 'NAME' }, flow: { value: 'ID' } },
  run: async ({ operand, flag, flags: { name, flow } }, settings) => {
    const file = await readJson(operand)
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { importFlow } = await import('../server/domain/flows/flow-file.ts')
    return withDatabase(config, async ({ ctxOf }) =>
      importFlow(await ctxOf(flag('workspace')), {
        file,
        ...(typeof name === 'string' && { name }),
        ...(typeof flow === 'string' && { flowId: flow }),
      }).catch(sayProblems),
    )
  },
}

const FLOW_ID = /^c[0-9a-z]{24}$/

const publishCommand: Command = {
  words: 'flow publish',
  about:
    'Publish the draft of a flow, or a file as the next version of --flow. Refuses errors, and warnings and failing tests unless they are accepted.',
  operand: 'FLOW|FILE',
  flags: {
    workspace: WORKSPACE,
    flow: { value: 'ID' },
    note: { value: 'TEXT' },
    'accept-warnings': { value: null },
  },
  run: async ({ operand, flag, flags: { flow, note, acceptWarnings } }, settings) => {
    const isFile = !FLOW_ID.test(operand)
    if (isFile !== (flow !== undefined))
      throw new UsageError(
        isFile ? 'Name the flow that a file replaces with --flow ID.' : '--flow needs a FILE.',
      )
    const { VERSION_NOTE_MAX } = await import('../server/domain/flows/schema.ts')
    if (typeof note === 'string' && note.length > VERSION_NOTE_MAX)
      throw new UsageError(`--note can have at most ${VERSION_NOTE_MAX} characters.`)
    const file = isFile ? await readJson(operand) : undefined
    const config = settings()
    const { withDatabase } = await import('./open-database.ts')
    const { getFlowDetails } = await import('../server/domain/flows/edit-flow.ts')
    const { importFlow } = await import('../server/domain/flows/flow-file.ts')
    const { publishFlow } = await import('../server/domain/flows/publish-flow.ts')
    return withDatabase(config, async ({ ctxOf }) => {
      const ctx = await ctxOf(flag('workspace'))
      const flowId = isFile ? flag('flow') : operand
      const { draftRevision: revision } = isFile
        ? await importFlow(ctx, { file, flowId }).catch(sayProblems)
        : (await getFlowDetails(ctx, flowId)).flow
      const { flow: published } = await publishFlow(ctx, {
        flowId,
        revision,
        acceptWarnings: acceptWarnings !== undefined,
        ...(typeof note === 'string' && { note: note.trim() }),
      }).catch(sayProblems)
      const { version, warnings } = published.versions[0]!
      return { flowId, name: published.name, version, warnings }
    })
  },
}

const REVIEWED = new Set(['FLOW_INVALID', 'FLOW_HAS_WARNINGS'])

/** Problems name their steps themselves. */
const sayProblems = (error: unknown): never => {
  if (!(error instanceof ApiError) || !error.details || !REVIEWED.has(error.code)) throw error
  const hint = error.code === 'FLOW_HAS_WARNINGS' ? ['Publish anyway with --accept-warnings.'] : []
  throw new Error([...error.details.map(({ message }) => message), ...hint].join(' '), { cause: error })
}

export const flowCommands: Command[] = [
  listCommand,
  exportCommand,
  importCommand,
  publishCommand,
  validateCommand,
  testCommand,
]
