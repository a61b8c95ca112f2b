// A definition with each of the 16 types of steps and most of their settings.
import type { FlowDefinition } from '../schema.ts'

export const EVERY_STEP: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [
    { on: 'message', words: ['menu'], wordsMode: 'only', channels: ['web', 'whatsapp'], by: 'anyone' },
    { on: 'tagged', tagId: 'tag1', when: { value: 'contact.country', op: 'is', to: 'DE' } },
    { on: 'customer_silent', after: 'PT2H', evenIfAssigned: true },
  ],
  audience: { not: { any: [{ value: 'contact.tags', op: 'hasTag', to: ['VIP'] }] } },
  interrupts: true,
  reentry: { after: 'P1DT2H' },
  oldChoices: 'jump',
  variables: {
    topic: { type: 'text', default: 'none' },
    amount: { type: 'number', default: 0 },
    secret: { type: 'text', isPrivate: true },
  },
  start: 'first',
  blocks: {
    first: {
      title: 'First',
      steps: [
        {
          id: 's1',
          type: 'send',
          text: { en: 'Hello', de: 'Hallo' },
          attachmentIds: ['file1'],
          onFailed: 'second',
        },
        {
          id: 's2',
          type: 'ask',
          answer: 'choice',
          text: 'Which one?',
          listLabel: 'Choose',
          store: { run: 'run.topic', contact: 'contact.fields.topic' },
          options: [
            { id: 'one', title: 'The first', description: 'Of all', also: ['1st'], goto: 'second' },
            { id: 'two', title: { en: 'The second' }, showIf: { value: 'run.amount', op: 'above', to: 1 } },
          ],
          retry: { times: 2, text: 'Please choose.', then: 'people' },
          timeout: { after: 'PT4H', then: 'end' },
          offerPerson: false,
        },
        {
          id: 's3',
          type: 'set',
          set: [
            { to: 'run.amount', value: 2 },
            { to: 'contact.name', from: 'run.topic' },
          ],
        },
        { id: 's4', type: 'tag', add: ['tag1'], remove: ['tag2'] },
        {
          id: 's5',
          type: 'assign',
          to: { among: ['agent1', 'agent2'], by: 'turn', onlineOnly: true, else: 'second' },
        },
        {
          id: 's6',
          type: 'note',
          text: 'Asked about {{run.topic|upper}}',
          note: 'For the team',
          isOff: true,
        },
        {
          id: 's7',
          type: 'call',
          actionId: 'action1',
          with: { order: { from: 'run.topic' }, source: { value: 'flow' } },
          keep: 'order',
          paths: { notFound: 'second', refused: 'people' },
        },
        { id: 's8', type: 'wait', for: 'PT10M', until: 'opening', onReply: 'continue' },
        {
          id: 's9',
          type: 'branch',
          paths: [
            {
              title: 'Large',
              when: {
                all: [
                  { value: 'run.amount', op: 'above', to: 1 },
                  { value: 'message.text', op: 'matches', to: '^a' },
                ],
              },
              goto: 'second',
            },
          ],
          else: 'third',
        },
      ],
    },
    second: {
      steps: [
        {
          id: 's10',
          type: 'ai',
          goal: 'Find out what they need',
          collect: ['topic'],
          turnsMax: 5,
          onDone: 'third',
          onGiveUp: 'people',
        },
      ],
      next: 'third',
    },
    third: {
      steps: [{ id: 's11', type: 'hours', hoursId: 'hours1', open: 'fourth', closed: 'fifth' }],
    },
    fourth: {
      steps: [
        { id: 's12', type: 'flow', flowId: 'flow2', as: 'part', with: { topic: 'run.topic' } },
        {
          id: 's13',
          type: 'split',
          paths: [
            { percent: 50, goto: 'fifth' },
            { percent: 50, goto: 'sixth' },
          ],
        },
      ],
    },
    fifth: {
      steps: [{ id: 's14', type: 'people', assign: 'agent1', text: 'One moment.', summary: 'answers' }],
    },
    sixth: {
      steps: [
        { id: 's15', type: 'close' },
        { id: 's16', type: 'goto', to: 'end' },
      ],
    },
  },
}
