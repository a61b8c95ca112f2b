// The command line: finds the command, parses its flags, prints its result. Success is one JSON document on standard
// output; a failure is one plain line on standard error, with exit code 2 for invalid usage and 1 otherwise.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ApiError } from '../server/platform/errors.ts'
import { VERSION } from '../server/platform/version.ts'
import { readConfig } from '../server/process/config.ts'
import { aiCommands } from './ai-commands.ts'
import { auditCommands } from './audit-commands.ts'
import { channelCommands } from './channel-commands.ts'
import { type Command, type Given, toCamelCase, UsageError, usageOf } from './command.ts'
import { databaseCommands } from './database-commands.ts'
import { doctorCommand } from './doctor-command.ts'
import { exportCommand } from './export-command.ts'
import { flowCommands } from './flow-commands.ts'
import { groupCommands } from './group-commands.ts'
import { importChatwootCommand } from './import-chatwoot-command.ts'
import { importCommands } from './import-commands.ts'
import { importMboxCommand } from './import-mbox-command.ts'
import { leftoverCommands } from './leftover-commands.ts'
import { listCommands } from './list-commands.ts'
import { listenCommand } from './listen-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { openapiCommand } from './openapi-command.ts'
import { passkeyCommands } from './passkey-commands.ts'
import { restoredCommand } from './restored-command.ts'
import { secretKeyCommands } from './secret-key-commands.ts'
import { serveCommands } from './serve-commands.ts'
import { tagCommands } from './tag-commands.ts'
import { tokenCommands } from './token-commands.ts'
import { webhookCommands } from './webhook-commands.ts'
import { workspaceCommands } from './workspace-commands.ts'
import { workspaceMoveCommands } from './workspace-move-commands.ts'

const ROOT = resolve(import.meta.dirname, '..')

const COMMANDS: Command[] = [
  ...serveCommands,
  ...workspaceCommands,
  ...workspaceMoveCommands,
  ...listCommands,
  ...passkeyCommands,
  ...aiCommands,
  ...tokenCommands,
  ...auditCommands,
  ...channelCommands,
  ...tagCommands,
  ...groupCommands,
  ...flowCommands,
  ...leftoverCommands,
  ...webhookCommands,
  exportCommand,
  ...importCommands,
  importMboxCommand,
  importChatwootCommand,
  doctorCommand,
  ...databaseCommands,
  ...secretKeyCommands,
  restoredCommand,
  listenCommand,
  mcpCommand,
  openapiCommand,
]

/** The environment, with .env beside package.json as the fallback. */
const settings = () => {
  const file = resolve(ROOT, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
  return readConfig(process.env, ROOT)
}

const helpText = (): string =>
  [
    'Usage: foyer COMMAND',
    '',
    ...COMMANDS.flatMap((command) => [`  ${usageOf(command)}`, `      ${command.about}`]),
    '  foyer --version',
    '      Print the version.',
    '',
    'Commands print JSON, and one line on standard error when they fail. They work while the server runs and while',
    'it does not. Settings come from the environment and from .env; .env.example explains them.',
    '',
  ].join('\n')

const findCommand = (args: string[]): { command: Command; rest: string[] } => {
  const firstFlag = args.findIndex((arg) => arg.startsWith('-'))
  const words = firstFlag === -1 ? args : args.slice(0, firstFlag)
  for (const command of COMMANDS) {
    const length = command.words.split(' ').length
    if (words.slice(0, length).join(' ') === command.words) return { command, rest: args.slice(length) }
  }
  const group = COMMANDS.filter(({ words: known }) => known.split(' ', 1)[0] === words[0])
  const right = group.length > 0 ? group.map(({ words: known }) => `foyer ${known}`).join(', ') : 'foyer help'
  throw new UsageError(
    words.length === 0
      ? 'No command given. Run "foyer help" for a list.'
      : group.length > 0
        ? `Unknown command "foyer ${words.join(' ')}". Available: ${right}.`
        : `Unknown command "foyer ${words.join(' ')}". Run "${right}" for a list.`,
  )
}

/** parseArgs reports an invalid argument in several sentences; ours names it and the usage. */
const explainParseError = (error: Error & { code?: string }, command: Command): UsageError => {
  const name = /'(-[^' ]*)/.exec(error.message)?.[1] ?? 'An argument'
  const says =
    error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
      ? `Unknown flag ${name} for "foyer ${command.words}".`
      : error.message.includes('ambiguous')
        ? `Write a value that begins with "-" as ${name}=VALUE.`
        : `${name} needs a value.`
  return new UsageError(`${says} Usage: ${usageOf(command)}`)
}

const readArguments = (command: Command, rest: string[]): Given => {
  const known = command.flags ?? {}
  const parse = () =>
    parseArgs({
      args: rest,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(known).map(([name, { value, isMultiple }]) => [
          name,
          {
            type: value === null ? ('boolean' as const) : ('string' as const),
            multiple: isMultiple === true,
          },
        ]),
      ),
    })
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse()
  } catch (error) {
    throw explainParseError(error as Error, command)
  }
  const { values, positionals } = parsed
  const missing = [
    ...(command.operand && positionals.length === 0 ? [command.operand] : []),
    ...Object.keys(known)
      .filter((name) => known[name]?.isRequired && values[name] === undefined)
      .map((name) => `--${name}`),
  ]
  const excess = positionals[command.operand ? 1 : 0]
  const wrong =
    excess !== undefined
      ? `Unexpected argument "${excess}".`
      : missing.length > 0
        ? `Missing ${missing.join(', ')}.`
        : ''
  if (wrong) throw new UsageError(`${wrong} Usage: ${usageOf(command)}`)
  const flags = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      toCamelCase(name),
      value === true ? '' : (value as string | string[]),
    ]),
  )
  return { flags, flag: (name) => String(flags[name]), operand: positionals[0] ?? '' }
}

/** A field of an operation as the flag it came from; one of several values (`contact[2]`) with the value. */
const flagOf = (field: string, command: Command, given: Given): string => {
  const [, base = field, index] = /^(.+)\[(\d+)\]$/.exec(field) ?? []
  const name = Object.keys(command.flags ?? {}).find((flag) => toCamelCase(flag) === base)
  if (!name) return field
  if (index === undefined) return `--${name}`
  const value = given.flags[base]
  const values = typeof value === 'string' ? value.split(',') : value
  return `--${name} ${values?.[Number(index)]}`
}

const describeFailure = (error: unknown, command?: Command, given?: Given): string => {
  if (error instanceof ApiError && error.details && command && given)
    return error.details.map(({ field, message }) => `${flagOf(field, command, given)} ${message}`).join('; ')
  const { message, code } = error as NodeJS.ErrnoException
  return (message || code || String(error)).split('\n', 1)[0]!
}

/** Runs the command that the arguments name. */
export const main = async (args: string[]): Promise<void> => {
  let command: Command | undefined
  let given: Given | undefined
  try {
    const asksForHelp = args[0] === 'help' || args.some((arg) => arg === '--help' || arg === '-h')
    if (asksForHelp) {
      process.stdout.write(helpText())
      return
    }
    if (args[0] === '--version') {
      process.stdout.write(`${VERSION}\n`)
      return
    }
    const found = findCommand(args)
    command = found.command
    given = readArguments(command, found.rest)
    const answer = await command.run(given, settings)
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
  } catch (error) {
    process.stderr.write(`${describeFailure(error, command, given)}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

// The reader of our output may have closed it.
process.stdout.on('error', () => {})
