#include "rpc/reflection.h"

#include <stdio.h>
#include <string.h>

#include <grpc/reflection/v1/reflection.pb-c.h>

/* A FileDescriptorSet of everything served, made by protoc at build time. */
extern const uint8_t embedded_services[], embedded_services_end[];

/* Field numbers of descriptor.proto. */
enum { SET_FILE = 1, FILE_NAME = 1, FILE_PACKAGE = 2, FILE_MESSAGE = 4, FILE_ENUM = 5, FILE_SERVICE = 6, DECLARATION_NAME = 1 };

enum { MAX_SERVICES = 16, NAME_CAPACITY = 128 };

static bool next_file(wire_reader *set, wire_field *file) {
    while (wire_next(set, file))
        if (file->number == SET_FILE)
            return true;
    return false;
}

static wire_reader all_files(void) { return (wire_reader){.at = embedded_services, .end = embedded_services_end}; }

static wire_reader inside(const wire_field *field) { return wire_read(field->data, field->length); }

/* The first field with that number; empty if there is none. */
static wire_field find_field(const wire_field *message, uint32_t number) {
    wire_reader reader = inside(message);
    wire_field field;
    while (wire_next(&reader, &field))
        if (field.number == number)
            return field;
    return (wire_field){0};
}

static bool file_has_name(const wire_field *file, const char *name) {
    wire_field found = find_field(file, FILE_NAME);
    return found.data && found.length == strlen(name) && memcmp(found.data, name, found.length) == 0;
}

static void full_name(char name[NAME_CAPACITY], const wire_field *file, const wire_field *declaration) {
    wire_field package = find_field(file, FILE_PACKAGE), own = find_field(declaration, DECLARATION_NAME);
    snprintf(name, NAME_CAPACITY, "%.*s.%.*s", (int)package.length, package.data, (int)own.length, own.data);
}

/* True if the file declares the symbol or what encloses it. */
static bool file_declares(const wire_field *file, const char *symbol) {
    wire_reader reader = inside(file);
    wire_field field;
    while (wire_next(&reader, &field)) {
        if (field.number != FILE_MESSAGE && field.number != FILE_ENUM && field.number != FILE_SERVICE)
            continue;
        char name[NAME_CAPACITY];
        full_name(name, file, &field);
        size_t length = strlen(name);
        if (strncmp(symbol, name, length) == 0 && (symbol[length] == 0 || symbol[length] == '.'))
            return true;
    }
    return false;
}

/* Sends, and forgets what the response points to: it is the caller's, and about to go. */
static bool send_response(rpc_call *call, Grpc__Reflection__V1__ServerReflectionResponse *response) {
    bool sent = rpc_send(call, &response->base);
    response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE__NOT_SET;
    response->file_descriptor_response = NULL;
    return sent;
}

static bool send_error(rpc_call *call, Grpc__Reflection__V1__ServerReflectionResponse *response, grpc_status_code code,
                       const char *message) {
    Grpc__Reflection__V1__ErrorResponse problem = GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;
    problem.error_code = (int32_t)code;
    problem.error_message = (char *)(uintptr_t)message;
    response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    response->error_response = &problem;
    return send_response(call, response);
}

static bool send_file(rpc_call *call, Grpc__Reflection__V1__ServerReflectionResponse *response, const char *wanted,
                      bool (*matches)(const wire_field *file, const char *wanted)) {
    wire_reader set = all_files();
    wire_field file;
    while (next_file(&set, &file)) {
        if (!matches(&file, wanted))
            continue;
        Grpc__Reflection__V1__FileDescriptorResponse files = GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
        ProtobufCBinaryData bytes = {.len = file.length, .data = (uint8_t *)(uintptr_t)file.data};
        files.n_file_descriptor_proto = 1;
        files.file_descriptor_proto = &bytes;
        response->message_response_case =
            GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
        response->file_descriptor_response = &files;
        return send_response(call, response);
    }
    return send_error(call, response, GRPC_STATUS_NOT_FOUND, "this server has no such file or symbol");
}

static bool send_services(rpc_call *call, Grpc__Reflection__V1__ServerReflectionResponse *response) {
    Grpc__Reflection__V1__ServiceResponse services[MAX_SERVICES], *pointers[MAX_SERVICES];
    char names[MAX_SERVICES][NAME_CAPACITY];
    Grpc__Reflection__V1__ListServiceResponse list = GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
    wire_reader set = all_files();
    wire_field file, field;
    while (next_file(&set, &file)) {
        wire_reader reader = inside(&file);
        while (wire_next(&reader, &field) && list.n_service < MAX_SERVICES) {
            if (field.number != FILE_SERVICE)
                continue;
            size_t i = list.n_service++;
            full_name(names[i], &file, &field);
            services[i] = (Grpc__Reflection__V1__ServiceResponse)GRPC__REFLECTION__V1__SERVICE_RESPONSE__INIT;
            services[i].name = names[i];
            pointers[i] = &services[i];
        }
    }
    list.service = pointers;
    response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    response->list_services_response = &list;
    return send_response(call, response);
}

static bool answer(rpc_call *call, Grpc__Reflection__V1__ServerReflectionRequest *request) {
    Grpc__Reflection__V1__ServerReflectionResponse response = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
    response.valid_host = request->host;
    response.original_request = request;
    switch (request->message_request_case) {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
        return send_file(call, &response, request->file_by_filename, file_has_name);
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
        return send_file(call, &response, request->file_containing_symbol, file_declares);
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES: return send_services(call, &response);
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
        return send_error(call, &response, GRPC_STATUS_NOT_FOUND, "this server's messages have no extensions");
    default:
        return send_error(call, &response, GRPC_STATUS_INVALID_ARGUMENT, "message_request: found nothing, expected a question");
    }
}

static void serve(rpc_call *call, void *context) {
    (void)context;
    ProtobufCMessage *message;
    bounded_allocator allocator;
    for (;;) {
        rpc_next_result next =
            rpc_receive_next(call, &grpc__reflection__v1__server_reflection_request__descriptor, &message, &allocator);
        if (next == RPC_NEXT_FINISHED)
            return;
        if (next == RPC_NEXT_END)
            break;
        bool sent = answer(call, (Grpc__Reflection__V1__ServerReflectionRequest *)message);
        message_free(message, &allocator);
        if (!sent)
            break;
    }
    rpc_finish(call, GRPC_STATUS_OK, "");
}

void reflection_methods(rpc_method *methods) {
    methods[0] = (rpc_method){"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", serve, NULL, RPC_WATCH};
    methods[1] = (rpc_method){"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", serve, NULL, RPC_WATCH};
}
