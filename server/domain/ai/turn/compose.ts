// A turn with a language model: it gets what this customer may see, calls tools, and ends with one final tool. What it
// says goes through the checks; it may repair it once. Whatever it was talked into, nothing is changed or said from here.
import {
  type Carry,
  type Completion,
  type JsonObject,
  ModelError,
  type ToolCall,
  type ToolResult,
  type Turn,
} from '../../../../models/contract.ts'
import { checkReply, type ReplyProblem } from '../checks/check-reply.ts'
import type { Decision } from '../think.ts'
import { type Asking, askModel } from './ask-model.ts'
import { confidenceOf, groundingWith, problemsWith } from './check-ending.ts'
import { END_TURN, type Ending, readEnding } from './final-tool.ts'
import type { Shown } from './known/turn-in-hand.ts'
import { type Prepared, REJECTED, revealed } from './prepare-turn.ts'
import type { AiTool, ToolAnswer } from './tools/tool.ts'

const REQUESTS_MAX = 6
const CALLS_MAX = 12
/** The same call with the same parameters. */
const SAME_CALLS_MAX = 3
const OUTPUT_TOKENS_MAX = 1_000
const REPAIRS_MAX = 1

type Words = Extract<Ending, { text: string }>

/** Throws a ModelError or TurnOver. */
export const compose = async (prepared: Prepared, asking: Asking): Promise<Decision> => {
  const loop = new Loop(prepared, asking)
  let hasCalled = false
  for (let request = 1; request <= REQUESTS_MAX; request++) {
    const completion = await loop.ask(request === REQUESTS_MAX)
    if (completion.is === 'refused') return handOver(prepared, 'sensitive', '')
    if (completion.is === 'calls') {
      hasCalled ||= completion.calls.some(({ problem }) => problem === null)
      await loop.carryOut(completion.calls)
      const settled = loop.proposed() ?? loop.wantedCode()
      if (settled) return settled
      continue
    }
    const decision = loop.end(completion)
    if (decision) return decision
  }
  // It isn't unsure, it can't be used.
  if (!hasCalled) throw new ModelError('badAnswer', 'None of the model’s calls could be read.')
  return handOver(prepared, 'low_confidence', '')
}

/** The requests of one turn, and what the model has done in them. */
class Loop {
  private readonly prepared: Prepared
  private readonly asking: Asking
  private carry: Carry | null = null
  private results: ToolResult[] = []
  private calls = 0
  private readonly counts = new Map<string, number>()
  private mustEnd = false
  private isBlind = false
  private repairs = 0

  constructor(prepared: Prepared, asking: Asking) {
    this.prepared = prepared
    this.asking = asking
  }

  /** A provider refuses a request for one picture that it can't read; the words are worth a reply without it. */
  async ask(isLast: boolean): Promise<Completion> {
    const { turns, plainTurns } = this.prepared
    if (plainTurns === null || this.isBlind) return this.askWith(plainTurns ?? turns, isLast)
    try {
      return await this.askWith(turns, isLast)
    } catch (error) {
      if (!(error instanceof ModelError && error.problem === 'badRequest' && this.carry === null)) throw error
      this.isBlind = true
      return this.askWith(plainTurns, isLast)
    }
  }

  private async askWith(turns: readonly Turn[], isLast: boolean): Promise<Completion> {
    const { turn, system, tools, customerKey } = this.prepared
    const completion = await askModel(turn.ctx, this.asking, {
      system,
      turns,
      tools: tools.map(({ spec }) => spec),
      final: END_TURN,
      carry: this.carry,
      results: this.results,
      mustEnd: this.mustEnd || isLast,
      outputTokensMax: OUTPUT_TOKENS_MAX,
      customerKey,
    })
    if (completion.is !== 'refused') this.carry = completion.carry
    this.results = []
    return completion
  }

  async carryOut(calls: readonly ToolCall[]): Promise<void> {
    for (const call of calls) {
      const { text, isError = false } = await this.carryOutOne(call)
      this.results.push({
        callId: call.callId,
        text: this.prepared.redaction.hide(text),
        ...(isError && { isError }),
      })
    }
  }

  private async carryOutOne({ name, arguments: given, problem }: ToolCall): Promise<ToolAnswer> {
    const tool = this.prepared.tools.find(({ spec }) => spec.name === name)
    if (problem !== null) return { text: problem, isError: true }
    if (!tool) return { text: 'There is no such tool.', isError: true }
    this.calls++
    const same = `${name} ${JSON.stringify(given)}`
    const count = (this.counts.get(same) ?? 0) + 1
    this.counts.set(same, count)
    if (this.calls > CALLS_MAX || count > SAME_CALLS_MAX) {
      this.mustEnd = true
      return { text: 'No more calls in this turn. End it.', isError: true }
    }
    return this.withoutInvented(await runTool(tool, this.prepared, given))
  }

  /** The values of a proposal are as little to be trusted as words to the customer, who is shown them. */
  private withoutInvented(answer: ToolAnswer): ToolAnswer {
    const { turn, known } = this.prepared
    if (!turn.proposal || turn.proposal.words === '') return answer
    const { words } = turn.proposal
    const problems = checkReply(
      { text: words, cited: [], isFactual: false },
      { ...known(), noted: [words], lastReplies: [], language: null },
    )
    if (problems.length === 0) return answer
    turn.proposal = null
    return { text: problems.map(({ message }) => message).join('\n'), isError: true }
  }

  /** The turn ends with it: nothing that a model says stands beside the question. */
  proposed(): Decision | undefined {
    const { turn, language } = this.prepared
    if (!turn.proposal) return undefined
    const proposed = { ...turn.proposal.proposed, language }
    return { is: 'propose', proposed, effects: turn.effects.filter(({ is }) => is !== 'flow') }
  }

  wantedCode(): Decision | undefined {
    const { turn, language } = this.prepared
    if (!turn.wantsCode) return undefined
    return { is: 'code', language, effects: turn.effects.filter(({ is }) => is !== 'flow') }
  }

  /** Undefined if the model may try again. */
  end({ callId, arguments: given }: Extract<Completion, { is: 'final' }>): Decision | undefined {
    const { prepared } = this
    const ending = readEnding(given)
    if ('problem' in ending) {
      // It isn't unsure of what it says: nobody can tell what that is.
      if (this.repairs >= REPAIRS_MAX)
        throw new ModelError('badAnswer', 'The model’s last call can’t be read.')
      return this.reject(callId, ending.problem, [])
    }
    if (ending.action === 'hand_over') return handOver(prepared, ending.reason, ending.summary)
    if (ending.action === 'stay_silent')
      return prepared.mayStaySilent
        ? { is: 'silent' }
        : this.reject(callId, 'The customer is owed a reply: reply, ask or hand over.', [])
    const said = { ...ending, text: revealed(prepared, ending.text) }
    const problems = problemsWith(said, {
      known: prepared.known(),
      refs: prepared.turn.shown.map(({ ref }) => ref),
    })
    if (problems.length > 0)
      return this.reject(callId, problems.map(({ message }) => message).join('\n'), problems)
    return this.decide(said)
  }

  private reject(callId: string, message: string, problems: readonly ReplyProblem[]): Decision | undefined {
    if (this.repairs++ < REPAIRS_MAX) {
      this.prepared.rejections.push(message)
      this.results = [{ callId, text: `${REJECTED} ${message}`, isError: true }]
      return undefined
    }
    this.prepared.turn.ctx.log.info(
      { problems: problems.map(({ code }) => code) },
      'a reply of the AI agent did not pass the checks',
    )
    return handOver(this.prepared, 'low_confidence', '')
  }

  private decide(said: Words): Decision {
    const { turn, language } = this.prepared
    const { text } = said
    const cited = citedIn(said, turn.shown)
    const isDone = said.action === 'reply' && said.isDone
    const base = { is: 'say' as const, text, language, effects: turn.effects, ...(isDone && { isDone }) }
    if (said.action === 'ask')
      return { ...base, as: 'question', sources: [], options: said.options, confidence: 'high' }
    const confidence = confidenceOf(said, cited, {
      wasRepaired: this.repairs > 0,
      grounding: groundingWith(said, this.prepared.known()),
    })
    if (confidence === null)
      return this.prepared.hasMissed
        ? handOver(this.prepared, 'low_confidence', '', said)
        : { is: 'ask', why: 'unclear' }
    return { ...base, as: 'reply', sources: cited.map(({ source }) => source), options: [], confidence }
  }
}

const citedIn = (said: Words, shown: readonly Shown[]): Shown[] =>
  shown.filter(({ ref }) => said.action === 'reply' && said.sources.includes(ref))

const runTool = async (tool: AiTool, { turn }: Prepared, given: JsonObject): Promise<ToolAnswer> => {
  try {
    return await tool.run(turn, given)
  } catch (error) {
    turn.ctx.log.warn({ err: error, tool: tool.spec.name }, 'a tool of the AI agent failed')
    return { text: 'It didn’t work.', isError: true }
  }
}

/**
 * What the customer told it and what it read is kept for the team; flows aren't started for somebody who waits for a
 * person. `withheld`: what it would have said, for a person to send or change; it has passed the checks.
 */
const handOver = (
  { turn: { effects, shown }, redaction, language }: Prepared,
  reason: Extract<Decision, { is: 'handOver' }>['reason'],
  summary: string,
  withheld: Words | null = null,
): Decision => ({
  is: 'handOver',
  reason,
  summary: redaction.hide(summary),
  read: [...new Map(shown.map(({ source: { type, id, title } }) => [id, { type, id, title }])).values()],
  ...(withheld && {
    draft: { text: withheld.text, sources: citedIn(withheld, shown).map(({ source }) => source) },
  }),
  language,
  effects: effects.filter(({ is }) => is !== 'flow'),
})
