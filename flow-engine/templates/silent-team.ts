import type { FlowTemplate } from './template.ts'

export const SILENT_TEAM: FlowTemplate = {
  id: 'silent-team',
  name: 'Silent team',
  about:
    'When a customer has waited for an hour, apologizes, tags the chat and unassigns it for the next free teammate.',
  needs: [
    { kind: 'tag', id: 'need:waiting', name: 'Waiting', about: 'Marks customers who have waited too long.' },
  ],
  beforePublishing: [
    'With business hours in the settings, it only speaks while you are open.',
    'Set the hour in its trigger to what you promise your customers.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'team_silent',
        after: 'PT1H',
        channels: ['web', 'whatsapp', 'facebook', 'telegram'],
        evenIfAssigned: true,
        when: { value: 'hours.isOpen', op: 'isNot', to: false },
      },
    ],
    reentry: { after: 'PT6H' },
    start: 'sorry',
    blocks: {
      sorry: {
        title: 'Apology',
        steps: [
          {
            id: 's1',
            type: 'send',
            text: {
              en: 'Sorry to keep you waiting. We haven’t forgotten you: a teammate will reply as soon as possible.',
              de: 'Bitte entschuldigen Sie die Wartezeit. Wir haben Sie nicht vergessen: Jemand aus dem Team antwortet Ihnen so bald wie möglich.',
              es: 'Disculpe la espera. No nos hemos olvidado de usted: alguien del equipo le responderá lo antes posible.',
              pt: 'Desculpe a demora. Não esquecemos de você: alguém da equipe vai responder o quanto antes.',
              fr: 'Veuillez nous excuser pour l’attente. Nous ne vous oublions pas : une personne de l’équipe vous répondra dès que possible.',
            },
            onFailed: 'pass',
          },
        ],
        next: 'pass',
      },
      pass: {
        title: 'To the next free teammate',
        steps: [
          { id: 's2', type: 'tag', add: ['need:waiting'] },
          {
            id: 's3',
            type: 'note',
            text: 'The customer has waited for more than an hour. Unassigned, so that anyone can reply.',
          },
          { id: 's4', type: 'assign', to: 'nobody' },
        ],
        next: 'end',
      },
    },
  },
  tests: [
    {
      name: 'The customer gets an apology and the chat is free for others',
      channel: 'telegram',
      language: 'en',
      turns: [
        { event: 'team_silent' },
        {
          expect: {
            text: 'Sorry to keep you waiting',
            assigned: 'nobody',
            tags: ['need:waiting'],
            ended: 'completed',
            closed: false,
          },
        },
      ],
    },
    {
      name: 'Die Entschuldigung kommt auf Deutsch',
      channel: 'whatsapp',
      language: 'de',
      turns: [
        { event: 'team_silent' },
        { expect: { text: 'entschuldigen Sie die Wartezeit', handedOver: false, ended: 'completed' } },
      ],
    },
  ],
}
