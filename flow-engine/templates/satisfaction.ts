import type { FlowTemplate } from './template.ts'

export const SATISFACTION: FlowTemplate = {
  id: 'satisfaction',
  name: 'Satisfaction after closing',
  about:
    'Asks for a rating once your team has closed a chat, asks why if it is low, and reopens if the customer wishes.',
  needs: [],
  beforePublishing: ['The rating is kept in the contact’s field “satisfaction”.'],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'closed',
        by: 'team',
        channels: ['web', 'whatsapp', 'facebook', 'telegram'],
        evenIfAssigned: true,
      },
    ],
    reentry: { after: 'P14D' },
    variables: { rating: { type: 'number', default: 0 }, reopen: { type: 'yesno', default: false } },
    start: 'rating',
    blocks: {
      rating: {
        title: 'Rating',
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'rating',
            note: 'Whoever writes something else has a new question: the conversation stays open for the team.',
            text: {
              en: 'Thanks for talking to us. How did we do, from 1 (poor) to 5 (great)?',
              de: 'Danke, dass Sie sich an uns gewandt haben. Wie zufrieden sind Sie, von 1 (gar nicht) bis 5 (sehr)?',
              es: 'Gracias por contactar con nosotros. ¿Cómo valora nuestra atención, del 1 (mala) al 5 (excelente)?',
              pt: 'Obrigado pelo contato. Que nota você dá ao nosso atendimento, de 1 (ruim) a 5 (ótimo)?',
              fr: 'Merci pour cet échange. Quelle note nous donnez-vous, de 1 (mauvais) à 5 (excellent) ?',
            },
            listLabel: { en: 'Rate', de: 'Bewerten', es: 'Valorar', pt: 'Avaliar', fr: 'Noter' },
            store: { run: 'run.rating', contact: 'contact.fields.satisfaction' },
            retry: { times: 0, then: 'end' },
            timeout: { after: 'P1D', then: 'end' },
            onFailed: 'end',
          },
          {
            id: 's2',
            type: 'branch',
            paths: [
              { title: '3 or less', when: { value: 'run.rating', op: 'below', to: 4 }, goto: 'reason' },
            ],
            else: 'thanks',
          },
        ],
      },
      reason: {
        title: 'What went wrong',
        steps: [
          {
            id: 's3',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'We’re sorry to hear that. What could we have done better?',
              de: 'Das tut uns leid. Was hätten wir besser machen können?',
              es: 'Lo sentimos. ¿Qué podríamos haber hecho mejor?',
              pt: 'Lamentamos. O que poderíamos ter feito melhor?',
              fr: 'Nous en sommes désolés. Qu’aurions-nous pu faire de mieux ?',
            },
            store: 'contact.fields.satisfactionReason',
            retry: { times: 0, then: 'shut' },
            timeout: { after: 'PT4H', then: 'shut' },
          },
          {
            id: 's4',
            type: 'branch',
            paths: [{ title: '1 or 2', when: { value: 'run.rating', op: 'below', to: 3 }, goto: 'reopen' }],
            else: 'thanks',
          },
        ],
      },
      reopen: {
        title: 'Another try?',
        steps: [
          {
            id: 's5',
            type: 'ask',
            answer: 'yesno',
            text: {
              en: 'Thank you for being frank. Would you like someone to look into it again?',
              de: 'Danke für Ihre offenen Worte. Möchten Sie, dass sich noch einmal jemand darum kümmert?',
              es: 'Gracias por su sinceridad. ¿Desea que alguien vuelva a revisarlo?',
              pt: 'Obrigado pela sinceridade. Você quer que alguém verifique de novo?',
              fr: 'Merci pour votre franchise. Souhaitez-vous que quelqu’un s’en occupe à nouveau ?',
            },
            store: 'run.reopen',
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT4H', then: 'shut' },
          },
          {
            id: 's6',
            type: 'branch',
            paths: [{ title: 'Yes', when: { value: 'run.reopen', op: 'is', to: true }, goto: 'team' }],
            else: 'thanks',
          },
        ],
      },
      thanks: {
        title: 'Thanks',
        steps: [
          {
            id: 's7',
            type: 'send',
            text: {
              en: 'Thank you for your feedback. You can write to us here any time.',
              de: 'Vielen Dank für Ihre Rückmeldung. Sie können uns hier jederzeit wieder schreiben.',
              es: 'Gracias por su opinión. Puede escribirnos aquí cuando quiera.',
              pt: 'Obrigado pela sua avaliação. Você pode escrever aqui quando quiser.',
              fr: 'Merci pour votre retour. Vous pouvez nous écrire ici à tout moment.',
            },
          },
        ],
        next: 'shut',
      },
      shut: {
        title: 'Close again',
        steps: [
          {
            id: 's8',
            type: 'close',
            note: 'The customer’s answers reopened the conversation.',
          },
        ],
        next: 'end',
      },
      team: {
        title: 'Back to the team',
        steps: [
          {
            id: 's9',
            type: 'people',
            text: {
              en: 'We’ll look into it again and reply here.',
              de: 'Wir kümmern uns noch einmal darum und melden uns hier.',
              es: 'Lo revisaremos de nuevo y le responderemos aquí.',
              pt: 'Vamos verificar de novo e responder por aqui.',
              fr: 'Nous reprenons votre demande et vous répondrons ici.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'A good rating is thanked for, and the conversation is closed again',
      channel: 'web',
      language: 'en',
      turns: [
        { event: 'closed' },
        { expect: { text: 'How did we do', choices: ['r1', 'r2', 'r3', 'r4', 'r5'], waits: 's1' } },
        { tap: 'r5' },
        {
          expect: {
            text: 'Thank you for your feedback',
            ended: 'completed',
            closed: true,
            handedOver: false,
            set: { 'contact.fields.satisfaction': '5' },
          },
        },
      ],
    },
    {
      name: 'A poor rating goes back to the team if the customer wishes',
      channel: 'whatsapp',
      language: 'es',
      turns: [
        { event: 'closed' },
        { say: '1' },
        { expect: { text: '¿Qué podríamos haber hecho mejor?', waits: 's3' } },
        { say: 'Nadie me respondió en dos días' },
        { expect: { choices: ['yes', 'no'], waits: 's5' } },
        { say: 'sí' },
        {
          expect: {
            text: 'Lo revisaremos de nuevo',
            handedOver: true,
            closed: false,
            set: { 'contact.fields.satisfactionReason': 'Nadie me respondió en dos días' },
          },
        },
      ],
    },
  ],
}
