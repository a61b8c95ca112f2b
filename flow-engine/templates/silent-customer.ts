import type { FlowTemplate } from './template.ts'

const CHATS = ['web', 'whatsapp', 'facebook', 'telegram', 'sms'] as const

export const SILENT_CUSTOMER: FlowTemplate = {
  id: 'silent-customer',
  name: 'Silent customer',
  about: 'Reminds a customer who has stopped replying, and closes the chat a day later. Never by email.',
  needs: [],
  beforePublishing: [
    'The reminder goes out after 20 hours, because WhatsApp and Messenger refuse later ones.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [{ on: 'customer_silent', after: 'PT20H', channels: [...CHATS], evenIfAssigned: true }],
    reentry: { after: 'P3D' },
    variables: { next: { type: 'text' } },
    start: 'remind',
    blocks: {
      remind: {
        title: 'Reminder',
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'choice',
            note: 'The only message: a second one would come after WhatsApp’s reply window.',
            text: {
              en: 'Hi {{contact.firstName|there}}, do you still need us? Otherwise we’ll close this chat tomorrow. You can write again any time.',
              de: 'Guten Tag, können wir noch etwas für Sie tun? Sonst schließen wir diesen Chat morgen. Sie können uns jederzeit wieder schreiben.',
              es: 'Hola, ¿podemos ayudarle en algo más? Si no, cerraremos este chat mañana. Puede volver a escribirnos cuando quiera.',
              pt: 'Olá! Ainda podemos ajudar? Se não, vamos encerrar esta conversa amanhã. Você pode escrever de novo quando quiser.',
              fr: 'Bonjour, avez-vous encore besoin de nous ? Sinon, nous fermerons ce chat demain. Vous pourrez nous réécrire à tout moment.',
            },
            store: 'run.next',
            options: [
              {
                id: 'more',
                title: {
                  en: 'I still need help',
                  de: 'Ja, bitte',
                  es: 'Sí, por favor',
                  pt: 'Sim, por favor',
                  fr: 'Oui, s’il vous plaît',
                },
                goto: 'more',
              },
              {
                id: 'done',
                title: {
                  en: 'All done, thanks',
                  de: 'Alles erledigt',
                  es: 'Todo resuelto',
                  pt: 'Tudo resolvido',
                  fr: 'Tout est réglé',
                },
                goto: 'done',
              },
            ],
            retry: { times: 0, then: 'end' },
            timeout: { after: 'P1D', then: 'shut' },
            onFailed: 'end',
          },
        ],
      },
      more: {
        title: 'Back to the team',
        steps: [
          {
            id: 's2',
            type: 'send',
            text: {
              en: 'Thanks for letting us know. We’ll get back to you here.',
              de: 'Danke für die Rückmeldung. Wir melden uns hier bei Ihnen.',
              es: 'Gracias por avisarnos. Le responderemos aquí.',
              pt: 'Obrigado por avisar. Vamos responder por aqui.',
              fr: 'Merci de nous l’avoir dit. Nous vous répondrons ici.',
            },
          },
          { id: 's3', type: 'note', text: 'The customer was reminded after 20 hours and still needs help.' },
        ],
        next: 'end',
      },
      done: {
        title: 'All done',
        steps: [
          {
            id: 's4',
            type: 'send',
            text: {
              en: 'Glad we could help. Have a good day!',
              de: 'Das freut uns. Einen schönen Tag noch!',
              es: 'Nos alegramos de haberle ayudado. ¡Que tenga un buen día!',
              pt: 'Que bom que pudemos ajudar. Tenha um bom dia!',
              fr: 'Ravis d’avoir pu vous aider. Bonne journée !',
            },
          },
        ],
        next: 'shut',
      },
      shut: { title: 'Close', steps: [{ id: 's5', type: 'close' }], next: 'end' },
    },
  },
  tests: [
    {
      name: 'Without a reply it closes a day later, without another message',
      channel: 'whatsapp',
      language: 'en',
      turns: [
        { event: 'customer_silent' },
        { expect: { text: 'do you still need us?', choices: ['more', 'done'], waits: 's1' } },
        { wait: 'PT23H' },
        { expect: { nothing: true, closed: false } },
        { wait: 'PT1H' },
        { expect: { nothing: true, closed: true, ended: 'completed' } },
      ],
    },
    {
      name: 'Any other reply leaves the chat to the team',
      channel: 'facebook',
      language: 'fr',
      turns: [
        { event: 'customer_silent' },
        { expect: { text: 'avez-vous encore besoin de nous' } },
        { say: 'J’attends toujours votre réponse !' },
        { expect: { nothing: true, closed: false, ended: 'completed', handedOver: false } },
      ],
    },
  ],
}
