import type { FlowTemplate } from './template.ts'

export const ROUTING: FlowTemplate = {
  id: 'routing',
  name: 'VIP and language routing',
  about:
    'Assigns new conversations in the background: VIPs to their agent, German and Spanish to those who speak it.',
  needs: [
    { kind: 'tag', id: 'need:vip', name: 'VIP', about: 'The tag of your most important customers.' },
    { kind: 'agent', id: 'need:vip-agent', name: 'Agent for VIPs', about: 'Gets the conversations of VIPs.' },
    { kind: 'agent', id: 'need:german', name: 'Agent for German', about: 'Speaks German.' },
    { kind: 'agent', id: 'need:spanish', name: 'Agent for Spanish', about: 'Speaks Spanish.' },
  ],
  beforePublishing: [
    'Add more agents to a step and they take turns, or the one with the fewest open conversations gets the next.',
    'A contact’s language comes from their channel or profile. Conversations without one stay unassigned.',
  ],
  definition: {
    schema: 1,
    kind: 'background',
    language: 'en',
    triggers: [{ on: 'opened' }],
    start: 'who',
    blocks: {
      who: {
        title: 'Who is it?',
        steps: [
          {
            id: 's1',
            type: 'branch',
            paths: [
              { title: 'VIP', when: { value: 'contact.tags', op: 'hasTag', to: 'need:vip' }, goto: 'vip' },
              {
                title: 'German',
                when: { value: 'contact.language', op: 'startsWith', to: 'de' },
                goto: 'german',
              },
              {
                title: 'Spanish',
                when: { value: 'contact.language', op: 'startsWith', to: 'es' },
                goto: 'spanish',
              },
            ],
            else: 'end',
          },
        ],
      },
      vip: {
        title: 'VIPs',
        steps: [
          {
            id: 's2',
            type: 'note',
            text: 'A VIP is waiting. Please reply first.',
          },
          { id: 's3', type: 'assign', to: { among: ['need:vip-agent'], by: 'fewest_open', else: 'end' } },
        ],
        next: 'end',
      },
      german: {
        title: 'German',
        steps: [{ id: 's4', type: 'assign', to: { among: ['need:german'], by: 'fewest_open', else: 'end' } }],
        next: 'end',
      },
      spanish: {
        title: 'Spanish',
        steps: [
          { id: 's5', type: 'assign', to: { among: ['need:spanish'], by: 'fewest_open', else: 'end' } },
        ],
        next: 'end',
      },
    },
  },
  tests: [
    {
      name: 'A VIP goes to the VIPs’ agent whatever the language',
      channel: 'email',
      language: 'de',
      contact: { tags: ['need:vip'] },
      turns: [
        { event: 'opened' },
        { expect: { assigned: 'need:vip-agent', nothing: true, ended: 'completed' } },
      ],
    },
    {
      name: 'Spanish of any country goes to whoever speaks it',
      channel: 'whatsapp',
      language: 'es-MX',
      turns: [
        { event: 'opened' },
        { expect: { assigned: 'need:spanish', nothing: true, ended: 'completed' } },
      ],
    },
  ],
}
