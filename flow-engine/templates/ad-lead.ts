import type { FlowTemplate } from './template.ts'

export const AD_LEAD: FlowTemplate = {
  id: 'ad-lead',
  name: 'Lead from an ad',
  about:
    'Greets customers who come from an ad on Facebook or Instagram, asks two questions, and hands over a warm lead.',
  needs: [{ kind: 'tag', id: 'need:lead', name: 'Lead', about: 'Marks customers who came from an ad.' }],
  beforePublishing: [
    'Your ads have to open a WhatsApp or Messenger chat.',
    'Move it above your welcome menu, so that it takes customers from ads first.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'message',
        channels: ['whatsapp', 'facebook'],
        when: { value: 'message.referral', op: 'isSet' },
      },
    ],
    reentry: { after: 'P1D' },
    variables: { ad: { type: 'text' }, interest: { type: 'text' }, when: { type: 'text' } },
    start: 'greet',
    blocks: {
      greet: {
        title: 'Interest',
        steps: [
          {
            id: 's1',
            type: 'set',
            set: [
              { to: 'run.ad', from: 'message.referral.headline' },
              { to: 'contact.fields.source', value: 'Ad' },
            ],
          },
          { id: 's2', type: 'tag', add: ['need:lead'] },
          {
            id: 's3',
            type: 'ask',
            answer: 'choice',
            text: {
              en: 'Hi {{contact.firstName|there}}, thanks for your interest! What would you like to know?',
              de: 'Guten Tag, vielen Dank für Ihr Interesse! Was möchten Sie wissen?',
              es: 'Hola, ¡gracias por su interés! ¿Qué le gustaría saber?',
              pt: 'Olá! Obrigado pelo interesse. O que você gostaria de saber?',
              fr: 'Bonjour, merci de votre intérêt ! Que souhaitez-vous savoir ?',
            },
            store: { run: 'run.interest', contact: 'contact.fields.interest' },
            options: [
              {
                id: 'price',
                title: { en: 'The price', de: 'Den Preis', es: 'El precio', pt: 'O preço', fr: 'Le prix' },
              },
              {
                id: 'details',
                title: {
                  en: 'How it works',
                  de: 'Wie es funktioniert',
                  es: 'Cómo funciona',
                  pt: 'Como funciona',
                  fr: 'Le fonctionnement',
                },
              },
              {
                id: 'else',
                title: {
                  en: 'Something else',
                  de: 'Etwas anderes',
                  es: 'Otra cosa',
                  pt: 'Outra coisa',
                  fr: 'Autre chose',
                },
              },
            ],
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT12H', then: 'end' },
          },
          {
            id: 's4',
            type: 'ask',
            answer: 'choice',
            text: {
              en: 'Good to know. When would you like to get started?',
              de: 'Gut zu wissen. Wann möchten Sie loslegen?',
              es: 'Entendido. ¿Cuándo le gustaría empezar?',
              pt: 'Certo. Quando você gostaria de começar?',
              fr: 'C’est noté. Quand souhaitez-vous commencer ?',
            },
            store: 'run.when',
            options: [
              {
                id: 'now',
                title: {
                  en: 'Right away',
                  de: 'Sofort',
                  es: 'Ahora mismo',
                  pt: 'Agora mesmo',
                  fr: 'Tout de suite',
                },
              },
              {
                id: 'soon',
                title: {
                  en: 'This month',
                  de: 'Diesen Monat',
                  es: 'Este mes',
                  pt: 'Este mês',
                  fr: 'Ce mois-ci',
                },
              },
              {
                id: 'looking',
                title: {
                  en: 'Just looking',
                  de: 'Ich informiere mich',
                  es: 'Solo estoy mirando',
                  pt: 'Só pesquisando',
                  fr: 'Je me renseigne',
                },
              },
            ],
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT12H', then: 'end' },
          },
        ],
        next: 'team',
      },
      team: {
        title: 'Over to sales',
        steps: [
          {
            id: 's5',
            type: 'note',
            text: 'Came from the ad “{{run.ad|without a headline}}”.',
          },
          {
            id: 's6',
            type: 'people',
            text: {
              en: 'Thank you! A teammate will send you the details here.',
              de: 'Vielen Dank! Jemand aus unserem Team schickt Ihnen hier alles Weitere.',
              es: '¡Gracias! Alguien de nuestro equipo le enviará aquí todos los detalles.',
              pt: 'Obrigado! Alguém da nossa equipe vai enviar os detalhes por aqui.',
              fr: 'Merci ! Une personne de notre équipe vous enverra les détails ici.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'A customer from an ad becomes a lead with two answers',
      channel: 'whatsapp',
      language: 'en',
      contact: { name: 'Maria Silva' },
      referral: { headline: 'Winter glaze workshop', sourceType: 'ad' },
      turns: [
        { say: 'Hello! Can I get more info on this?' },
        {
          expect: {
            text: 'thanks for your interest',
            choices: ['price', 'details', 'else'],
            tags: ['need:lead'],
          },
        },
        { tap: 'price' },
        { tap: 'soon' },
        {
          expect: {
            handedOver: true,
            ended: 'completed',
            set: {
              'run.ad': 'Winter glaze workshop',
              'contact.fields.interest': 'The price',
              'contact.fields.source': 'Ad',
              'run.when': 'soon',
            },
          },
        },
      ],
    },
    {
      name: 'A question of their own goes to the team at once',
      channel: 'facebook',
      language: 'pt',
      referral: { sourceType: 'ADS' },
      turns: [
        { say: 'Oi' },
        { expect: { text: 'Obrigado pelo interesse', waits: 's3' } },
        { say: 'Vocês entregam em Lisboa?' },
        { expect: { text: 'Alguém da nossa equipe', handedOver: true, never: ['Quando você gostaria'] } },
      ],
    },
  ],
}
