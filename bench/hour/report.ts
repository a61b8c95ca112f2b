// The report: bench/results-hour.md.
import { number, percentile, writeResults } from '../measured.ts'
import { PUSH_MAX_MS } from './awareness.ts'
import { type Results, SHOWN_AGAIN_MAX_MS, SHOWN_MAX_MS } from './checks.ts'
import type { Delays, Ledger } from './ledger.ts'
import type { Place } from './place.ts'
import type { Memory } from './watch.ts'

type Given = {
  minutes: number
  seed: number
  isTrial: boolean
  ledger: Ledger
  memories: Record<string, Memory[]>
  results: Results
  place: Place
}

const delaysOf = (what: string, all: readonly number[]): string =>
  all.length === 0
    ? `| ${what} | 0 | | | |`
    : `| ${what} | ${all.length} | ${number(percentile(all, 0.5))} | ${number(percentile(all, 0.95))} | ${number(Math.max(...all))} |`

const rowsOf = (what: string, { all, calm, free }: Delays): string[] => [
  delaysOf(`${what}, without trouble, while the machine had time`, free),
  delaysOf(`${what}, without trouble`, calm),
  delaysOf(`${what}, all`, all),
]

const memoryLines = (memories: Given['memories']): string[] =>
  Object.entries(memories).map(([name, all]) => {
    const show = ({ heapMib, nodes, listeners }: Memory): string =>
      `${heapMib.toFixed(1)} | ${number(nodes)} | ${number(listeners)}`
    return `| ${name} | ${show(all[0]!)} | ${show(all.at(-1)!)} |`
  })

const countsOf = (all: Iterable<string>): string[] => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${count} × ${name}`)
}

export const writeReport = ({ minutes, seed, isTrial, ledger, memories, results, place }: Given): void => {
  const { written, replies, notes, assigned, troubles, acts, findings, checks } = ledger
  const { shown, messages, mentions, assignments } = results
  const settled = checks.filter((one) => one.startsWith('screens'))
  const lines = [
    '# An hour at work',
    '',
    `Produced by \`npm run trial:hour -- --minutes ${minutes} --seed ${seed}\` on ${new Date().toISOString().slice(0, 10)}: an admin and an agent who sees only what is assigned to her, each with two screens in Chromium, a customer in the chat box and twelve on WhatsApp, by email, Telegram, Messenger and SMS, on two cores that other programs shared.`,
    '',
    '## What happened',
    '',
    `${written.size} messages by customers, ${replies.size} replies, ${notes.size} notes (${mentions.told + mentions.looking} with a mention), ${assigned.length} conversations handed over. Of the replies, ${results.replies.arrived} reached the customer, ${results.replies.undone} were undone, ${results.replies.refused} given up because a colleague had replied, ${results.replies.failedAndSaid} failed at a provider and were shown as failed, ${results.replies.toldUnsent} were kept as not sent.`,
    '',
    `Trouble: ${countsOf(troubles.map(({ what }) => what)).join(', ') || 'none'}. Providers: ${countsOf(checks.filter((one) => !one.startsWith('screens'))).join(', ') || 'none'}.`,
    '',
    '| Act | done | hindered by trouble | failed |',
    '|---|---:|---:|---:|',
    ...[...acts]
      .sort()
      .map(([name, { done, hindered, failed }]) => `| ${name} | ${done} | ${hindered} | ${failed} |`),
    '',
    '## Delays',
    '',
    `Milliseconds. A message has to be in an agent’s list ${number(SHOWN_MAX_MS)} ms after it is stored, or ${number(SHOWN_AGAIN_MAX_MS)} ms after the end of the trouble in which it was. A push has to arrive within ${number(PUSH_MAX_MS)} ms of the customer’s sending.`,
    '',
    '| | count | median | 95 % | worst |',
    '|---|---:|---:|---:|---:|',
    ...Object.entries(shown).flatMap(([name, delays]) => rowsOf(`stored → in ${name}’s list`, delays)),
    ...rowsOf('customer sends → push', messages.sent),
    ...rowsOf('stored → push', messages.stored),
    delaysOf('mention → push', mentions.delays),
    delaysOf('assigned → push', assignments.delays),
    '',
    `No push was due for ${messages.looking} messages, ${mentions.looking} mentions and ${assignments.looking} assignments: the person had the conversation open. After resting, the screens (rows, their order, unread counts, badge and title) equalled the server’s answers all ${settled.length} times${findings.some(({ kind }) => kind === 'screen') ? ', except as below' : ''}.`,
    '',
    '## Memory of the pages',
    '',
    'JavaScript heap in MiB after collecting garbage, nodes and listeners, at the beginning and at the end. The walls are never reloaded.',
    '',
    '| Page | heap | nodes | listeners | heap at the end | nodes | listeners |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...memoryLines(memories),
    '',
    '## Findings',
    '',
    ...(findings.length === 0
      ? ['None: nothing lost, nothing twice, nobody unaware, no error in a page or in the server’s log.']
      : findings.map(({ atMs, kind, what }) => `- ${(atMs / 60_000).toFixed(1)} min, ${kind}: ${what}`)),
    '',
  ]
  writeResults('results-hour', isTrial, lines)
  process.stdout.write(`${lines.join('\n')}\n`)
  void place
}
